namespace traced {
// snippet
}  // namespace traced
