// Package compare compares two sessions step by step: which steps are equal, where the sessions
// diverge, and what the difference costs.
//
// A session is read as a tree of steps (step.go) from its spans, messages and usage. The texts of
// both sessions are normalised (normalise), the steps are aligned at each level (align), and each
// row is classified (rows.go). divergence.go finds the first input and the first output that
// differ, and sentence.go describes them in words.
package compare
