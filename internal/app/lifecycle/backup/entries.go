package backup

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/internal/app/auth/access"
	"tapedeck/query/billing/bills"
)

// buckets are the key-value buckets of JetStream whose entries cannot be derived from the tables.
// Logins are not included, since users can log in again. Tokens and links are stored as hashes.
var buckets = []string{access.Bucket, access.ShareBucket, bills.HeadsBucket}

// entry is an entry of a bucket.
type entry struct{ Bucket, Key, Value string }

// readEntries returns all entries, sorted.
func readEntries(ctx context.Context, nc *nats.Conn) ([]entry, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, fmt.Errorf("JetStream: %w", err)
	}
	var list []entry
	for _, bucket := range buckets {
		kv, err := js.KeyValue(ctx, bucket)
		if errors.Is(err, jetstream.ErrBucketNotFound) {
			continue // nothing was ever stored in the bucket
		}
		if err != nil {
			return nil, fmt.Errorf("bucket %s: %w", bucket, err)
		}
		keys, err := kv.Keys(ctx)
		if errors.Is(err, jetstream.ErrNoKeysFound) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("bucket %s: %w", bucket, err)
		}
		slices.Sort(keys)
		for _, key := range keys {
			e, err := kv.Get(ctx, key)
			if errors.Is(err, jetstream.ErrKeyNotFound) {
				continue // the key was removed meanwhile
			}
			if err != nil {
				return nil, fmt.Errorf("bucket %s: %s: %w", bucket, key, err)
			}
			list = append(list, entry{bucket, key, string(e.Value())})
		}
	}
	return list, nil
}

// heads returns the entries that determine the numbers of bills.
func heads(list []entry) []entry {
	return slices.DeleteFunc(slices.Clone(list), func(e entry) bool { return e.Bucket != bills.HeadsBucket })
}

func storeEntries(ctx context.Context, db driver.Conn, database string, list []entry) error {
	if len(list) == 0 {
		return nil
	}
	rows := make([][]any, len(list))
	for i, e := range list {
		rows[i] = []any{e.Bucket, e.Key, e.Value}
	}
	if err := insert(ctx, db, "INSERT INTO "+identifier(database)+"."+entriesTable, rows...); err != nil {
		return fmt.Errorf("write the entries of buckets: %w", reason(err))
	}
	return nil
}

// restoreEntries writes the entries of a backup to JetStream and returns the number of entries that
// it wrote. It does not change existing entries.
func restoreEntries(ctx context.Context, db driver.Conn, database string, nc *nats.Conn) (n int, err error) {
	rows, err := db.Query(ctx, statements.Must("entries", identifier(database)))
	if err != nil {
		return 0, fmt.Errorf("read the entries of buckets: %w", err)
	}
	defer rows.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return 0, fmt.Errorf("JetStream: %w", err)
	}
	var kv jetstream.KeyValue
	for rows.Next() {
		var e entry
		if err := rows.Scan(&e.Bucket, &e.Key, &e.Value); err != nil {
			return n, fmt.Errorf("read the entries of buckets: %w", err)
		}
		if !slices.Contains(buckets, e.Bucket) {
			return n, fmt.Errorf("the backup has an entry of the bucket %q, which this program does not restore: %w",
				e.Bucket, ErrDamaged)
		}
		if kv == nil || kv.Bucket() != e.Bucket {
			if kv, err = js.KeyValue(ctx, e.Bucket); errors.Is(err, jetstream.ErrBucketNotFound) {
				// The server updates the other settings of the bucket when it starts.
				kv, err = js.CreateKeyValue(ctx,
					jetstream.KeyValueConfig{Bucket: e.Bucket, Storage: jetstream.FileStorage})
			}
			if err != nil {
				return n, fmt.Errorf("bucket %s: %w", e.Bucket, err)
			}
		}
		switch _, err := kv.Create(ctx, e.Key, []byte(e.Value)); {
		case err == nil:
			n++
		case !errors.Is(err, jetstream.ErrKeyExists):
			return n, fmt.Errorf("bucket %s: %s: %w", e.Bucket, e.Key, err)
		}
	}
	return n, rows.Err()
}
