package access

import (
	"crypto/rand"
	"crypto/sha256"
	"hash/crc32"
	"strings"
)

const (
	randomLength   = 30 // base62, 178 bits
	checksumLength = 6  // base62 of a CRC-32
	secretLength   = randomLength + checksumLength
	idLength       = 10

	base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// newText returns the text of a new credential: the prefix of its kind, 30 random characters, and 6
// characters of the CRC-32 of the preceding text, by which secret scanners recognise a token.
func newText(prefix string) string {
	text := prefix + randomWord(randomLength)
	return text + checksum(text)
}

// NewTokenText returns the text of a token that no server has. A server creates the first
// administrator's token from the text in Options.AdminFile.
func NewTokenText() string { return newText(storages[KindToken].prefix) }

// randomWord returns n random characters of base62.
func randomWord(n int) string {
	const most = 256 - 256%len(base62) // larger bytes would make some characters more likely
	word, some := make([]byte, 0, n), make([]byte, 2*n)
	for {
		_, _ = rand.Read(some) // crypto/rand does not return errors
		for _, b := range some {
			if int(b) >= most {
				continue
			}
			if word = append(word, base62[int(b)%len(base62)]); len(word) == n {
				return string(word)
			}
		}
	}
}

// checksum returns the CRC-32 (IEEE) of a text in base62, most significant digit first.
func checksum(text string) string {
	sum := crc32.ChecksumIEEE([]byte(text))
	digits := make([]byte, checksumLength)
	for i := checksumLength - 1; i >= 0; i-- {
		digits[i] = base62[sum%uint32(len(base62))]
		sum /= uint32(len(base62))
	}
	return string(digits)
}

// checkText returns ErrMalformed for a text without the prefix and the form of a credential, and
// ErrChecksum for a wrong checksum.
func checkText(prefix, text string) error {
	secret, ok := strings.CutPrefix(text, prefix)
	if !ok || len(secret) != secretLength || strings.Trim(secret, base62) != "" {
		return ErrMalformed
	}
	if end := len(text) - checksumLength; checksum(text[:end]) != text[end:] {
		return ErrChecksum
	}
	return nil
}

// IsCredential reports whether a text has the form of a token, a login, a ticket or a shared link,
// valid or not.
func IsCredential(text string) bool {
	for _, prefix := range []string{storages[KindToken].prefix, storages[KindUser].prefix, storages[KindShare].prefix, TicketPrefix} {
		if checkText(prefix, text) == nil {
			return true
		}
	}
	return false
}

// digest is the hash by which a token is stored. One round of SHA-256 suffices: a text has 178
// random bits, so guessing a text by its hash is infeasible, as with a slow hash.
type digest [sha256.Size]byte

func digestOf(text string) digest { return sha256.Sum256([]byte(text)) }
