package ingest

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
)

// SubjectPrefix begins the subject of every block.
const SubjectPrefix = "tapedeck.block."

// FillerSubject is the subject of messages without content that fill a file of JetStream, so that
// the server begins another file. No tenant has this name.
const FillerSubject = SubjectPrefix + "$filler.0"

// Subject returns the NATS subject of a session's blocks: the prefix, the tenant, and the session's
// token.
func Subject(tenant, session string) string {
	return SubjectPrefix + tenant + "." + SubjectToken(session)
}

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
	rest, ok := strings.CutPrefix(subject, SubjectPrefix)
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

// BundleSubject returns the subject of a bucket's bundles.
func BundleSubject(tenant string, bucket int) string {
	return SubjectPrefix + tenant + ".bundle." + strconv.Itoa(bucket)
}

// SubjectFilters returns the subjects of a session's blocks: of single blocks, and of the bundles
// that may contain a block of the session.
func SubjectFilters(tenant, session string) []string {
	return []string{Subject(tenant, session), BundleSubject(tenant, Bucket(session))}
}
