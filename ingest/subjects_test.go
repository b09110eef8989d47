package ingest_test

import (
	"fmt"
	"slices"
	"testing"

	"tapedeck/ingest"
)

// The subjects of a session's blocks are those of no other, but for bundles, whose
// sessions are spread evenly; and all name the tenant.
func TestSubjects(t *testing.T) {
	const sessions = 64 * ingest.Buckets
	own := map[string]string{}
	buckets := map[int]int{}
	ids := []string{"bundle", "bundle.1", "~", "a b", "späti"}
	for len(ids) < sessions {
		ids = append(ids, fmt.Sprint("session-", len(ids)))
	}
	for _, id := range ids {
		subject := ingest.Subject("acme", id)
		if other, taken := own[subject]; taken {
			t.Fatalf("%q and %q have the subject %s", id, other, subject)
		}
		own[subject] = id
		bucket := ingest.Bucket(id)
		buckets[bucket]++
		filters := ingest.Partition{}.Filters("acme", id)
		if want := []string{subject, ingest.Partition{}.BundleSubject("acme", bucket)}; !slices.Equal(filters, want) {
			t.Errorf("filters of %q: %q, want %q", id, filters, want)
		}
		for _, f := range filters {
			if tenant, err := ingest.SubjectTenant(f); err != nil || tenant != "acme" {
				t.Errorf("tenant of %s: %q, %v", f, tenant, err)
			}
		}
	}
	for bucket := range ingest.Buckets {
		if id, taken := own[ingest.Partition{}.BundleSubject("acme", bucket)]; taken {
			t.Errorf("the subject of bucket %d is that of the session %q", bucket, id)
		}
		if n := buckets[bucket]; n < 32 || n > 128 {
			t.Errorf("bucket %d has %d sessions of %d", bucket, n, sessions)
		}
	}
}
