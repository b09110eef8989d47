package ingest_test

import (
	"fmt"
	"strings"
	"testing"

	"tapedeck/ingest"
)

// matches reports whether a subject matches a filter, by NATS's rules for "*".
func matches(filter, subject string) bool {
	f, s := strings.Split(filter, "."), strings.Split(subject, ".")
	if len(f) != len(s) {
		return false
	}
	for i := range f {
		if f[i] != "*" && f[i] != s[i] {
			return false
		}
	}
	return true
}

// A session's filters find its blocks and the bundles that hold one, and hardly
// anything else.
func TestSubjectFilters(t *testing.T) {
	const tenant, sessions = "acme", 500
	slots := map[int]int{}
	for i := range sessions {
		session := fmt.Sprintf("session %d", i)
		filters := ingest.SubjectFilters(tenant, session)
		slot, mark := ingest.BundleSlot(session)
		slots[slot]++
		var with, without [ingest.BundleSlots]string
		with[slot] = mark
		for j := range 20 {
			slot, mark := ingest.BundleSlot(fmt.Sprintf("other %d", 20*i+j))
			if with[slot] == "" {
				with[slot] = mark
			}
			without[slot] = mark
		}
		for subject, want := range map[string]int{
			ingest.Subject(tenant, session):        1,
			ingest.Subject(tenant, "other"):        0,
			ingest.Subject("another", session):     0,
			ingest.BundleSubject(tenant, &with):    1,
			ingest.BundleSubject(tenant, &without): 0,
			ingest.BundleSubject("another", &with): 0,
		} {
			found := 0
			for _, f := range filters {
				if matches(f, subject) {
					found++
				}
			}
			if found != want {
				t.Errorf("%d of the filters of %q find %s, want %d", found, session, subject, want)
			}
			if got, err := ingest.SubjectTenant(subject); err != nil || !strings.HasPrefix(subject, ingest.SubjectPrefix+got+".") {
				t.Errorf("tenant of %s: %q, %v", subject, got, err)
			}
		}
	}
	if len(slots) < ingest.BundleSlots*9/10 {
		t.Errorf("%d sessions use %d of %d slots", sessions, len(slots), ingest.BundleSlots)
	}
}
