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

// FillerSubject is the subject of messages without content, which fill a file of JetStream
// so that it begins another one. No tenant has this name.
const FillerSubject = SubjectPrefix + "$filler.0"

// Subject is the NATS subject of a session's blocks: the prefix, the tenant,
// and the session's token.
func Subject(tenant, session string) string {
	return SubjectPrefix + tenant + "." + SubjectToken(session)
}

// SubjectToken makes a session id fit for a subject: as it is if it has only
// letters, digits, "-" and "_", otherwise "~" and its base64url form.
func SubjectToken(session string) string {
	if session != "" && !strings.ContainsFunc(session, func(r rune) bool { return !plain(r) }) {
		return session
	}
	return "~" + base64.RawURLEncoding.EncodeToString([]byte(session))
}

// SubjectTenant reads the tenant off a block's subject, or a bundle's.
func SubjectTenant(subject string) (string, error) {
	rest, ok := strings.CutPrefix(subject, SubjectPrefix)
	tenant, _, ok2 := strings.Cut(rest, ".")
	if !ok || !ok2 || CheckTenant(tenant) != nil {
		return "", fmt.Errorf("subject %q is not that of a block", subject)
	}
	return tenant, nil
}

// Buckets is how many kinds of bundles a tenant has. A bundle is one message with
// blocks of several sessions, at most one of each; whose session falls into which
// bucket depends on its id, so that a reader of a session receives few other bundles.
const Buckets = 64

// Bucket returns the bucket of a session, from 0.
func Bucket(session string) int {
	sum := sha256.Sum256([]byte(session))
	return int(sum[0]) % Buckets
}

// BundleSubject is the subject of a bucket's bundles.
func BundleSubject(tenant string, bucket int) string {
	return SubjectPrefix + tenant + ".bundle." + strconv.Itoa(bucket)
}

// SubjectFilters returns the subjects of a session's blocks: of single ones, and of the
// bundles that may have one.
func SubjectFilters(tenant, session string) []string {
	return []string{Subject(tenant, session), BundleSubject(tenant, Bucket(session))}
}
