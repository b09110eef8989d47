package sessionlist

// SetBoundsSpare has pages in the order of tokens look at n more sessions than they
// hold, until the function that it returns is called.
func SetBoundsSpare(n int) (restore func()) {
	old := boundsSpare
	boundsSpare = n
	return func() { boundsSpare = old }
}

// SetSeveralLimit has lists distinguish no more than n sessions of several rows,
// until the function that it returns is called.
func SetSeveralLimit(n int) (restore func()) {
	old := severalLimit
	severalLimit = n
	return func() { severalLimit = old }
}
