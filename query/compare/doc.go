// Package compare compares two sessions step by step: what is the same, where they part, and
// what the difference costs.
//
// A session is read as a tree of steps (step.go) from its spans, messages and usage. The texts
// of both are normalised (normalise), the steps aligned (align) at each level, and each row is
// classified (rows.go). divergence.go finds the first input and the first output that differ,
// and sentence.go puts them into words.
package compare
