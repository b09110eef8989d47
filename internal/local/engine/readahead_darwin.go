package engine

// readAhead does nothing: macOS has no such system call.
func readAhead(string) {}
