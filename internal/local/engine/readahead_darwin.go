package engine

// readAhead does nothing: the system has no such request.
func readAhead(string) {}
