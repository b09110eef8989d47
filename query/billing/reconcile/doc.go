// Package reconcile compares the sums of the usage records of sessions with the values that their
// streams state: totals, costs, calls without usage, usage that arrived more than once, and lost
// frames. It lists differences and changes nothing.
package reconcile
