// Package findings compares what the usage of a session adds up to with what its streams
// state, and lists what does not.
package findings
