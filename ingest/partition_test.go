package ingest_test

import (
	"fmt"
	"hash/fnv"
	"strings"
	"testing"

	"tapedeck/ingest"
)

// The partition follows from the tenant and the session's bucket, so bundles are never split, and
// every partition has its share of the buckets.
func TestPartitionOf(t *testing.T) {
	const of = 4
	buckets := map[string]map[int]int{}
	for _, tenant := range []string{"default", "acme"} {
		h := fnv.New32a()
		fmt.Fprint(h, tenant)
		buckets[tenant] = map[int]int{}
		for i := range 2000 {
			session := fmt.Sprint("session ", i)
			p := ingest.PartitionOf(tenant, session, of)
			bucket := ingest.Bucket(session)
			if want := (int(h.Sum32()%of) + bucket) % of; p.Index != want || p.Of != of {
				t.Fatalf("session %q of %s is in %+v, want partition %d", session, tenant, p, want)
			}
			if before, known := buckets[tenant][bucket]; known && before != p.Index {
				t.Fatalf("bucket %d of %s is in the partitions %d and %d", bucket, tenant, before, p.Index)
			}
			buckets[tenant][bucket] = p.Index
		}
		count := map[int]int{}
		for _, index := range buckets[tenant] {
			count[index]++
		}
		for index := range of {
			if count[index] != ingest.Buckets/of {
				t.Errorf("partition %d has %d buckets of %s, want %d", index, count[index], tenant, ingest.Buckets/of)
			}
		}
	}
}

func TestPartitionSubjects(t *testing.T) {
	if s := ingest.PartitionOf("acme", "s 1", 1).Subject("acme", "s 1"); s != ingest.Subject("acme", "s 1") || !strings.HasPrefix(s, "tapedeck.block.acme.~") {
		t.Errorf("the subject without partitions is %s", s)
	}
	for _, of := range []int{1, 2, 4, ingest.MaxPartitions} {
		p := ingest.PartitionOf("acme", "s 1", of)
		if back, ok := ingest.ParsePrefix(p.Prefix()); !ok || back != p {
			t.Errorf("prefix %s is read as %+v, want %+v", p.Prefix(), back, p)
		}
		if !ingest.IsFiller(p.Filler()) || ingest.IsFiller(p.Subject("acme", "0")) {
			t.Errorf("fillers of %+v are not told from blocks", p)
		}
		for i, subject := range p.Filters("acme", "s 1") {
			if tenant, err := ingest.SubjectTenant(subject); err != nil || tenant != "acme" {
				t.Errorf("tenant of %s is %q (%v)", subject, tenant, err)
			}
			for _, other := range []int{1, 3} {
				want := ingest.PartitionOf("acme", "s 1", other).Filters("acme", "s 1")[i]
				if moved, err := ingest.Repartition(subject, other); err != nil || moved != want {
					t.Errorf("%s of %d partitions is %s (%v), want %s", subject, other, moved, err, want)
				}
			}
		}
	}
	for _, wrong := range []string{"", "tapedeck.partition.4.4.", "tapedeck.partition.65.0.", "tapedeck.partition.04.1.", "tapedeck.partition.4.-1.", "other."} {
		if p, ok := ingest.ParsePrefix(wrong); ok {
			t.Errorf("prefix %q is read as %+v", wrong, p)
		}
	}
	if _, err := ingest.Repartition("elsewhere.acme.s", 4); err == nil {
		t.Error("a foreign subject is accepted")
	}
}
