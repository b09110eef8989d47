// Package findings compares the usage of a session with the values that its streams state, and
// lists the differences.
package findings
