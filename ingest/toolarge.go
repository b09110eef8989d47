package ingest

// TooLargeError is the error for a block that is larger than delivery accepts. It names the limit
// and how to raise it. No retry delivers the block.
type TooLargeError struct{ Detail string }

// Error implements error.
func (e *TooLargeError) Error() string { return e.Detail }
