package ingest

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
)

// SubjectPrefix begins the subject of every block that is not partitioned.
const SubjectPrefix = "tapedeck.block."

// Subject returns the NATS subject of a session's blocks without partitions: the prefix, the tenant,
// and the session's token.
func Subject(tenant, session string) string { return Partition{}.Subject(tenant, session) }

// SubjectToken encodes a session id as a token of a subject: unchanged if it has only letters,
// digits, "-" and "_", otherwise "~" and its base64url form.
func SubjectToken(session string) string {
	if session != "" && !strings.ContainsFunc(session, func(r rune) bool { return !plain(r) }) {
		return session
	}
	return "~" + base64.RawURLEncoding.EncodeToString([]byte(session))
}

// SubjectTenant returns the tenant in the subject of a block or a bundle.
func SubjectTenant(subject string) (string, error) {
	_, rest, ok := cutPrefix(subject)
	tenant, _, ok2 := strings.Cut(rest, ".")
	if !ok || !ok2 || CheckTenant(tenant) != nil {
		return "", fmt.Errorf("subject %q is not that of a block", subject)
	}
	return tenant, nil
}

// Buckets is the number of buckets of a tenant. A bundle is one message with blocks of several
// sessions of one bucket, at most one block of each session. A session's bucket is derived from its
// id, so that a reader of a session receives few bundles of other sessions.
const Buckets = 64

// Bucket returns the bucket of a session, from 0.
func Bucket(session string) int {
	sum := sha256.Sum256([]byte(session))
	return int(sum[0]) % Buckets
}

// bundleToken is between the tenant and the bucket in the subject of bundles.
const bundleToken = ".bundle."
