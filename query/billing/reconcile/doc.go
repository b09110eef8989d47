// Package reconcile compares what the usage records of sessions add up to with what their
// streams state: totals, costs, calls without usage, usage that arrived more than once, and frames
// that were lost. It lists differences and changes nothing.
package reconcile
