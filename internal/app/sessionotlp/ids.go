package sessionotlp

import (
	"crypto/sha256"
	"encoding/hex"
)

// traceID returns the id of a session's trace: the first 16 bytes of the SHA-256 of the session's id.
func traceID(session string) string {
	sum := sha256.Sum256([]byte(session))
	return hex.EncodeToString(sum[:16])
}

// spanID returns the id of a span in its trace: the first 8 bytes of the SHA-256 of the span's id.
func spanID(span string) string {
	sum := sha256.Sum256([]byte(span))
	return hex.EncodeToString(sum[:8])
}
