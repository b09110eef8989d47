package engine

// selfExecutable returns a path that names the running program even after an upgrade
// replaced or removed its file.
func selfExecutable() (string, error) { return "/proc/self/exe", nil }
