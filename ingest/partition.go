package ingest

import (
	"encoding/base64"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
)

// MaxPartitions is the largest number of partitions. A bundle has the blocks of one bucket, so all
// sessions of a bucket are in one partition.
const MaxPartitions = Buckets

// Partition is one of the partitions of the blocks. Each partition is a JetStream stream. The zero
// value is the only partition of blocks that are not partitioned.
type Partition struct {
	Index int // from 0
	Of    int // number of partitions
}

// partitionPrefix begins the subjects of blocks that are partitioned. The number of partitions and
// the index follow, so that a message never reaches a stream of another number of partitions.
const partitionPrefix = "tapedeck.partition."

// PartitionOf returns the partition of a session.
func PartitionOf(tenant, session string, of int) Partition {
	return BucketPartition(tenant, Bucket(session), of)
}

// BucketPartition returns the partition of a bucket. The buckets of a tenant are distributed evenly,
// from a partition that depends on the tenant.
func BucketPartition(tenant string, bucket, of int) Partition {
	if of <= 1 {
		return Partition{}
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(tenant)) // a hash does not return errors
	return Partition{Index: (int(h.Sum32()%uint32(of)) + bucket) % of, Of: of}
}

// Prefix begins the subjects of all blocks of the partition.
func (p Partition) Prefix() string {
	if p.Of <= 1 {
		return SubjectPrefix
	}
	return partitionPrefix + strconv.Itoa(p.Of) + "." + strconv.Itoa(p.Index) + "."
}

// ParsePrefix is the inverse of Prefix.
func ParsePrefix(prefix string) (p Partition, ok bool) {
	if prefix == SubjectPrefix {
		return Partition{}, true
	}
	if _, err := fmt.Sscanf(prefix, partitionPrefix+"%d.%d.", &p.Of, &p.Index); err != nil {
		return Partition{}, false
	}
	return p, p.Prefix() == prefix && p.Index >= 0 && p.Index < p.Of && p.Of <= MaxPartitions
}

// Subject returns the subject of a session's blocks.
func (p Partition) Subject(tenant, session string) string {
	return p.Prefix() + tenant + "." + SubjectToken(session)
}

// BundleSubject returns the subject of a bucket's bundles.
func (p Partition) BundleSubject(tenant string, bucket int) string {
	return p.Prefix() + tenant + bundleToken + strconv.Itoa(bucket)
}

// Filler returns the subject of messages without content that fill a file of JetStream, so that the
// server begins another file.
func (p Partition) Filler() string { return p.Prefix() + filler }

// filler is the rest of the subject of fillers. No tenant has this name.
const filler = "$filler.0"

// IsFiller reports whether a subject is that of a filler.
func IsFiller(subject string) bool {
	_, rest, ok := cutPrefix(subject)
	return ok && rest == filler
}

// Filters returns the subjects of a session's blocks: of single blocks, and of the bundles that may
// contain a block of the session.
func (p Partition) Filters(tenant, session string) []string {
	return []string{p.Subject(tenant, session), p.BundleSubject(tenant, Bucket(session))}
}

// Repartition returns the subject that the blocks of a subject have with another number of
// partitions.
func Repartition(subject string, of int) (string, error) {
	tenant, err := SubjectTenant(subject)
	if err != nil {
		return "", err
	}
	_, rest, _ := cutPrefix(subject)
	token := strings.TrimPrefix(rest, tenant+".")
	if number, is := strings.CutPrefix(token, bundleToken[1:]); is {
		bucket, err := strconv.Atoi(number)
		if err != nil {
			return "", fmt.Errorf("subject %q is not that of a bundle", subject)
		}
		return BucketPartition(tenant, bucket, of).BundleSubject(tenant, bucket), nil
	}
	session := token
	if encoded, is := strings.CutPrefix(token, "~"); is {
		decoded, err := base64.RawURLEncoding.DecodeString(encoded)
		if err != nil {
			return "", fmt.Errorf("subject %q names no session: %w", subject, err)
		}
		session = string(decoded)
	}
	return PartitionOf(tenant, session, of).Subject(tenant, session), nil
}

// cutPrefix returns the prefix of a subject of blocks, and the rest.
func cutPrefix(subject string) (prefix, rest string, ok bool) {
	if rest, ok = strings.CutPrefix(subject, SubjectPrefix); ok {
		return SubjectPrefix, rest, true
	}
	parts := strings.SplitN(subject, ".", 5)
	if len(parts) < 5 {
		return "", "", false
	}
	prefix = subject[:len(subject)-len(parts[4])]
	_, ok = ParsePrefix(prefix)
	return prefix, parts[4], ok
}
