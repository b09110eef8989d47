package query

// SetRepeatedLimit has reports tell no more than n repeated ids apart, until the
// function that it gives is called.
func SetRepeatedLimit(n int) (restore func()) {
	old := repeatedLimit
	repeatedLimit = n
	return func() { repeatedLimit = old }
}
