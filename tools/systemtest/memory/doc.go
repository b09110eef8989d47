// Package memory tests that a server stays within the memory of its control group under a load that
// needs far more: open streams of hundreds of tenants, clients that send large frames at once, and
// readers of large frames.
package memory
