package search

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"tapedeck/query"
	"tapedeck/query/querytest"
)

// The days that the primary index and the rows beside it name are those that all rows have, in parts of
// one row and of many granules, of tenants alone in a granule and among others.
func TestDays(t *testing.T) {
	db := querytest.Open(t)
	insert := func(table, tenant string, rows, dayOf int, minutes int) {
		id := map[string]string{"messages": "message_id", "spans": "span_id"}[table]
		db.Exec(fmt.Sprintf(`INSERT INTO %s (tenant, session_id, stream_id, %s, seen_at)
			SELECT '%s-%s', 's' || toString(number %% 7), 's', toString(number), toDateTime64(0, 9, 'UTC') + INTERVAL %d DAY + toIntervalMinute(number * %d)
			FROM numbers(%d) SETTINGS max_partitions_per_insert_block = 1000`, table, id, db.Tenant, tenant, dayOf, minutes, rows))
	}
	insert("messages", "a", 30_000, 20_000, 10) // 208 days
	insert("messages", "b", 3, 20_050, 60*24*30)
	insert("messages", "b", 2, 0, 60*24)
	insert("messages", "c", 20_000, 20_100, 0) // on one day
	insert("spans", "a", 10, 15_000, 60*24*3)
	insert("spans", "d", 9_000, 20_010, 7)
	db.Exec(fmt.Sprintf(`INSERT INTO messages (tenant, session_id, stream_id, message_id, seen_at)
		SELECT '%s-' || arrayJoin(['a', 'b', 'c', 'd']), 's9', 's', toString(number), toDateTime64(0, 9, 'UTC') + INTERVAL (20050 + number) DAY
		FROM numbers(3)`, db.Tenant)) // one part with one granule
	random := rand.New(rand.NewPCG(1, 2))
	at := func(day int) time.Time { return time.Unix(int64(day)*24*3600, 0).UTC() }
	starts := []int{0, 1, 14_999, 15_000, 15_028, 20_000, 20_050, 20_052, 20_100, 20_208, 20_300, 65_535}
	for _, shape := range []shape{{Messages: true, Errors: true}, {Messages: true}, {Errors: true}} {
		for _, name := range []string{"a", "b", "c", "d", "none"} {
			tenant := db.Tenant + "-" + name
			s := &search{
				Query: &Query{Tenant: tenant}, r: query.NewReader(db.Conn),
				asked: &asked{shape: shape, args: query.Args{"tenant": tenant}},
			}
			for range 6 {
				from, until := starts[random.IntN(len(starts))], starts[random.IntN(len(starts))]
				if from > until {
					from, until = until, from
				}
				got, ok, err := s.days(t.Context(), at(from), at(until).Add(day-1))
				if err != nil {
					t.Fatal(err)
				}
				var rows uint64
				var want dayRange
				if err := db.Conn.QueryRow(t.Context(), `SELECT count(), max(toDate(seen_at)), min(toDate(seen_at)) FROM (
					SELECT seen_at FROM messages WHERE tenant = ? AND ? UNION ALL SELECT seen_at FROM spans WHERE tenant = ? AND ?)
					WHERE toUInt16(toDate(seen_at)) BETWEEN ? AND ?`, tenant, shape.Messages, tenant, shape.Errors, from, until).
					Scan(&rows, &want.Newest, &want.Oldest); err != nil {
					t.Fatal(err)
				}
				if ok != (rows > 0) || ok && got != want {
					t.Errorf("tenant %s, %+v, days %d to %d: %v %v, want %v of %d rows", name, shape, from, until, ok, got, want, rows)
				}
			}
		}
	}
}
