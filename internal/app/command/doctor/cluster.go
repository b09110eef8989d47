package doctor

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"tapedeck/schema/cluster"
	"tapedeck/schema/migrate"
)

// clusterTenant is the tenant of the rows that CheckCluster inserts and deletes.
const clusterTenant = "tapedeck-doctor"

// clusterTimeout bounds each check of a cluster.
const clusterTimeout = time.Minute

// clusterCheck checks a cluster with rows of its own: one session on each shard.
type clusterCheck struct {
	conn     *cluster.Conn
	members  []cluster.Member
	away     []cluster.Member
	sessions []string // by shard, from 0
	stream   string
	findings []Finding
	wrong    int
}

// CheckCluster checks that a cluster is inserted into, read and deleted from as tapedeck needs it, with
// rows of a tenant of its own, and returns the findings and the number of problems. away is the number of
// members that were stopped: then it also checks that the other shards are written and read.
func CheckCluster(ctx context.Context, conn *cluster.Conn, program string, away int) ([]Finding, int) {
	c := &clusterCheck{conn: conn, stream: "ffffffff-ffff-7fff-bfff-" + rand.Text()[:12]}
	if !c.check(ctx, "members", func(ctx context.Context) (string, error) { return c.findMembers(ctx, away) }) ||
		!c.check(ctx, "schema", func(ctx context.Context) (string, error) { return c.schema(ctx, program) }) ||
		!c.check(ctx, "placement", c.place) {
		return c.findings, c.wrong
	}
	if conn.Engine().IsReplicated() {
		c.check(ctx, "macros", c.macros)
		c.check(ctx, "replicas", c.replicas)
	}
	c.check(ctx, "inserts", c.insert)
	if conn.Engine().IsReplicated() {
		c.check(ctx, "replication", c.replicate)
	}
	c.check(ctx, "repeated inserts", c.repeat)
	c.check(ctx, "reads", c.read)
	if len(c.away) > 0 {
		c.check(ctx, "a member away", c.withoutAway)
	}
	c.check(ctx, "deletes", c.remove)
	return c.findings, c.wrong
}

// check runs one check and reports whether it found no problem.
func (c *clusterCheck) check(ctx context.Context, what string, run func(context.Context) (string, error)) bool {
	ctx, cancel := context.WithTimeout(ctx, clusterTimeout)
	defer cancel()
	detail, err := run(ctx)
	if err != nil {
		c.wrong++
		detail, _, _ = strings.Cut(err.Error(), "\n")
	}
	c.findings = append(c.findings, Finding{What: what, OK: err == nil, Detail: detail})
	return err == nil
}

// findMembers finds the members, and which are away.
func (c *clusterCheck) findMembers(ctx context.Context, expected int) (_ string, err error) {
	if c.members, err = c.conn.Members(ctx); err != nil {
		return "", err
	}
	if c.away, err = c.conn.Away(ctx); err != nil {
		return "", err
	}
	var names []string
	for _, m := range c.members {
		name := fmt.Sprintf("%d: %s", m.Shard, m.Address)
		if m.Replica > 1 {
			name = fmt.Sprintf("%d, replica %d: %s", m.Shard, m.Replica, m.Address)
		}
		if slices.Contains(c.away, m) {
			name += " (away)"
		}
		names = append(names, name)
	}
	list := strings.Join(names, ", ")
	if len(c.away) != expected {
		return "", fmt.Errorf("%d of %d members cannot be reached, and --away says %d: %s", len(c.away), len(c.members), expected, list)
	}
	return list, nil
}

// schema checks that all members that can be reached have all migrations.
func (c *clusterCheck) schema(ctx context.Context, program string) (string, error) {
	s, err := migrate.Read(ctx, c.conn, migrate.Options{Program: program})
	if err == nil {
		err = s.Check()
	}
	if err != nil {
		return "", err
	}
	if missing := s.Missing(); missing != "" {
		return "", fmt.Errorf(`%s: run "tapedeck migrate"`, missing)
	}
	return "all migrations are applied", nil
}

// place chooses a session for each shard.
func (c *clusterCheck) place(ctx context.Context) (string, error) {
	p, err := c.conn.Placement(ctx)
	if err != nil {
		return "", err
	}
	shards := p[len(p)-1].Shards
	if last := c.members[len(c.members)-1].Shard; int(last) != shards {
		return "", fmt.Errorf(`the tables are spread over %d shards and the cluster has %d: run "tapedeck migrate"`, shards, last)
	}
	c.sessions = make([]string, shards)
	for found, run := 0, rand.Text(); found < shards; {
		session := fmt.Sprintf("%s-%s", run, rand.Text())
		if of := &c.sessions[p.Of(clusterTenant, session, c.stream)-1]; *of == "" {
			*of = session
			found++
		}
	}
	return fmt.Sprintf("sessions are spread over %d shards", shards), nil
}

// isAway reports whether a shard is away.
func (c *clusterCheck) isAway(shard int) bool {
	return slices.ContainsFunc(c.away, func(m cluster.Member) bool { return int(m.Shard) == shard })
}

const (
	insertChecked = `INSERT INTO frames (tenant, session_id, stream_id, seq, stream_started)
		VALUES ({tenant:String}, {session:String}, {stream:String}, 0, toDateTime('2026-01-01 00:00:00', 'UTC'))`
	countChecked  = `SELECT count() FROM frames FINAL WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)}`
	countSession  = `SELECT count() FROM frames FINAL WHERE tenant = {tenant:String} AND session_id = {session:String}`
	countSubquery = countChecked + ` AND session_id IN (SELECT session_id FROM frames WHERE tenant = {tenant:String})`
	removeChecked = `ALTER TABLE frames DELETE WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)}`
	countMarks    = `SELECT count() FROM tombstones WHERE tenant = {tenant:String}`
)

// insertInto inserts the row of the session of a shard.
func (c *clusterCheck) insertInto(ctx context.Context, shard int) error {
	return c.conn.Exec(ctx, insertChecked, clickhouse.Named("tenant", clusterTenant), clickhouse.Named("session", c.sessions[shard-1]),
		clickhouse.Named("stream", c.stream))
}

// insert inserts a row into each shard, and reads it from a member of the shard.
func (c *clusterCheck) insert(ctx context.Context) (string, error) {
	inserted := 0
	for i := range c.sessions {
		if c.isAway(i + 1) {
			continue
		}
		if err := c.insertInto(ctx, i+1); err != nil {
			return "", fmt.Errorf("insert into shard %d: %w", i+1, err)
		}
		inserted++
	}
	for _, m := range c.members {
		if slices.Contains(c.away, m) {
			continue
		}
		conn, err := c.conn.On(m, c.conn.Local())
		if err != nil {
			return "", err
		}
		n, err := c.count(ctx, conn, countChecked)
		if err == nil && n != 1 && m.Replica > 1 && c.conn.Engine().IsReplicated() {
			continue // the check "replication" waits for it
		}
		if err == nil && n != 1 {
			err = fmt.Errorf("%d rows where one was acknowledged: the tables are not replicated, or an insert was queued", n)
		}
		if err != nil {
			return "", fmt.Errorf("member %s of shard %d: %w", m.Address, m.Shard, err)
		}
	}
	return fmt.Sprintf("a row is on each of %d shards when it is acknowledged", inserted), nil
}

// repeat inserts the rows again, which replace the first ones.
func (c *clusterCheck) repeat(ctx context.Context) (string, error) {
	for i := range c.sessions {
		if c.isAway(i + 1) {
			continue
		}
		if err := c.insertInto(ctx, i+1); err != nil {
			return "", fmt.Errorf("insert into shard %d: %w", i+1, err)
		}
		n, err := c.count(ctx, c.conn, countSession, clickhouse.Named("session", c.sessions[i]))
		if err == nil && n != 1 {
			err = fmt.Errorf("%d rows, want 1", n)
		}
		if err != nil {
			return "", fmt.Errorf("read from shard %d what was inserted twice: %w", i+1, err)
		}
	}
	return "a row that is inserted twice is read once", nil
}

// read reads the rows of all shards, with a subquery over all shards, and a table of the first shard.
func (c *clusterCheck) read(ctx context.Context) (string, error) {
	if len(c.away) > 0 {
		ctx = clickhouse.Context(ctx, clickhouse.WithSettings(clickhouse.Settings{"skip_unavailable_shards": 1}))
	}
	want := 0
	for i := range c.sessions {
		if !c.isAway(i + 1) {
			want++
		}
	}
	n, err := c.count(ctx, c.conn, countSubquery)
	if err == nil && n != uint64(want) {
		err = fmt.Errorf("%d rows of %d shards", n, want)
	}
	if err == nil {
		_, err = c.count(ctx, c.conn, countMarks)
	}
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("a statement with a subquery reads %d shards, and the tables of the first", want), nil
}

// withoutAway checks that rows of a shard that is away are neither acknowledged nor left out unasked.
func (c *clusterCheck) withoutAway(ctx context.Context) (string, error) {
	for i := range c.sessions {
		if c.isAway(i+1) && c.insertInto(ctx, i+1) == nil {
			return "", fmt.Errorf("an insert into shard %d, which is away, was acknowledged", i+1)
		}
	}
	if _, err := c.count(ctx, c.conn, countSubquery); err == nil {
		return "", errors.New("a statement over all shards left out those that are away")
	}
	return "inserts into it are refused, the other shards are written and read; start it and run this again without --away", nil
}

// remove deletes the rows on every member that can be reached, or of replicated tables on one replica
// of each shard.
func (c *clusterCheck) remove(ctx context.Context) (string, error) {
	if c.conn.Engine().IsReplicated() {
		return c.removeReplicated(ctx)
	}
	ctx = clickhouse.Context(ctx, clickhouse.WithSettings(clickhouse.Settings{"mutations_sync": 2}))
	removed := 0
	for _, m := range c.members {
		if slices.Contains(c.away, m) {
			continue
		}
		conn, err := c.conn.On(m, c.conn.Local())
		if err == nil {
			err = conn.Exec(ctx, removeChecked, clickhouse.Named("tenant", clusterTenant), clickhouse.Named("sessions", c.sessions))
		}
		var left uint64
		if err == nil {
			left, err = c.count(ctx, conn, countChecked)
		}
		if err == nil && left > 0 {
			err = fmt.Errorf("%d rows are left", left)
		}
		if err != nil {
			return "", fmt.Errorf("delete on member %s: %w", m.Address, err)
		}
		removed++
	}
	return fmt.Sprintf("the rows are deleted on %d members", removed), nil
}

// count runs a statement on the rows of the check.
func (c *clusterCheck) count(ctx context.Context, conn driver.Conn, statement string, more ...any) (n uint64, err error) {
	args := append(more, clickhouse.Named("tenant", clusterTenant), clickhouse.Named("sessions", c.sessions))
	err = conn.QueryRow(ctx, statement, args...).Scan(&n)
	return n, err
}
