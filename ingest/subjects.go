package ingest

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
)

// SubjectPrefix begins the subject of every block.
const SubjectPrefix = "tapedeck.block."

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

// BundleSlots is how many tokens a bundle's subject has after the tenant. A bundle
// is one message with blocks of several sessions, at most one of each. A session
// has a slot of its own: there its mark stands in the subject of a bundle that
// holds a block of it, so that one filter finds all of these.
const BundleSlots = 64

// BundleSlot gives the slot of a session, from 0, and its mark there. Sessions may
// share both.
func BundleSlot(session string) (slot int, mark string) {
	sum := sha256.Sum256([]byte(session))
	return int(sum[bundleMark]) % BundleSlots, base64.RawURLEncoding.EncodeToString(sum[:bundleMark])
}

const (
	bundleMark = 3   // bytes of the hash of a session's id that are its mark
	emptySlot  = "-" // what no mark is: those have four letters
)

// BundleSubject is the subject of a bundle. marks are those of its sessions, each at
// its slot; "" for none.
func BundleSubject(tenant string, marks *[BundleSlots]string) string {
	var s strings.Builder
	s.Grow(len(SubjectPrefix) + len(tenant) + 5*BundleSlots)
	s.WriteString(SubjectPrefix + tenant)
	for _, mark := range marks {
		s.WriteByte('.')
		if mark == "" {
			mark = emptySlot
		}
		s.WriteString(mark)
	}
	return s.String()
}

// SubjectFilters are what finds a session's blocks: those by themselves, and the
// bundles that hold one, among them some of other sessions alone.
func SubjectFilters(tenant, session string) []string {
	slot, mark := BundleSlot(session)
	bundles := SubjectPrefix + tenant + strings.Repeat(".*", slot) + "." + mark + strings.Repeat(".*", BundleSlots-1-slot)
	return []string{Subject(tenant, session), bundles}
}
