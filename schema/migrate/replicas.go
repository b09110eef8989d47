package migrate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"tapedeck/schema/cluster"
	"tapedeck/schema/family"
)

// macros are the macros of a member in the Keeper paths of its replicated tables.
type macros struct{ shard, replica string }

// CheckReplicas returns ErrCluster, before anything is changed, if members of a cluster of replicated
// tables lack macros, or have the same where they must differ, or if a Distributed table would insert
// each row into all replicas itself. Of other tables it returns nil.
func CheckReplicas(ctx context.Context, c *cluster.Conn, members []cluster.Member) error {
	if !c.Engine().IsReplicated() {
		return nil
	}
	var of []macros
	for _, m := range members {
		conn, err := c.On(m, anyDatabase)
		if err != nil {
			return err
		}
		var has macros
		if err := conn.QueryRow(ctx, readMacros).Scan(&has.shard, &has.replica); err != nil {
			return fmt.Errorf("read the macros of member %s of cluster %s: %w", m.Address, c.Name(), err)
		}
		of = append(of, has)
		var outside []string
		err = conn.QueryRow(ctx, readExternal, driver.Named("clusters", []string{c.Name(), c.First()})).Scan(&outside)
		if err != nil {
			return fmt.Errorf("read the clusters of member %s: %w", m.Address, err)
		}
		if len(outside) > 0 {
			return fmt.Errorf("%w: shards with several replicas lack <internal_replication>true</internal_replication> in the cluster %s "+
				"on %s, so that each row would be inserted once for each replica: add it on every member",
				ErrCluster, strings.Join(outside, " and "), m.Address)
		}
	}
	return checkMacros(members, of)
}

// checkMacros returns ErrCluster unless the members of a shard have the same macro shard, which no other
// shard has, and different macros replica.
func checkMacros(members []cluster.Member, of []macros) error {
	for i, m := range members {
		for _, macro := range []struct{ name, value string }{{"shard", of[i].shard}, {"replica", of[i].replica}} {
			if macro.value == "" {
				return fmt.Errorf("%w: %s has no macro %s, which replicated tables need: add it to <macros> in its configuration",
					ErrCluster, m.Address, macro.name)
			}
		}
		for j, other := range members[:i] {
			same := of[i].shard == of[j].shard
			switch {
			case m.Shard == other.Shard && !same:
				return fmt.Errorf("%w: %s and %s are replicas of shard %d and have the macros shard %q and %q: give both the same",
					ErrCluster, other.Address, m.Address, m.Shard, of[j].shard, of[i].shard)
			case m.Shard != other.Shard && same:
				return fmt.Errorf("%w: %s of shard %d and %s of shard %d have the same macro shard %q: give each shard its own",
					ErrCluster, other.Address, other.Shard, m.Address, m.Shard, of[i].shard)
			case m.Shard == other.Shard && of[i].replica == of[j].replica:
				return fmt.Errorf("%w: %s and %s are replicas of shard %d and have the same macro replica %q: give each replica its own",
					ErrCluster, other.Address, m.Address, m.Shard, of[i].replica)
			}
		}
	}
	return nil
}

// checkEngine returns ErrEngine if a server has tables of the schema of another family than that of the
// connection. database is that of the tables, "" for that of the connection.
func checkEngine(ctx context.Context, conn driver.Conn, database string) error {
	engines, err := readEngines(ctx, conn, database)
	if err != nil {
		return err
	}
	return wrongEngine(family.OfConn(conn), engines)
}

// readEngines returns the engines of the tables of the schema, without those that record migrations.
func readEngines(ctx context.Context, conn driver.Conn, database string) (map[string]string, error) {
	var engines map[string]string
	err := conn.QueryRow(ctx, readTableEngines, driver.Named("database", database), driver.Named("tables", distributed())).Scan(&engines)
	if err != nil {
		return nil, fmt.Errorf("read the engines of tables: %w", err)
	}
	return engines, nil
}

// wrongEngine returns ErrEngine if tables are of another family than e.
func wrongEngine(e family.Engine, engines map[string]string) error {
	wrong := e.Wrong(engines)
	if len(wrong) == 0 {
		return nil
	}
	slices.Sort(wrong)
	is, _ := family.Of(engines[wrong[0]])
	if e.Family == "" {
		e.Family = family.Plain
	}
	return fmt.Errorf("%w: --clickhouse-engine is %s, and the table %s has the engine %s: set --clickhouse-engine %s, "+
		"or name an empty database with --clickhouse", ErrEngine, e.Family, wrong[0], engines[wrong[0]], is)
}

// applyReplicated applies the missing migrations to the local databases of the replicas of a shard, and
// returns the names of those that it completed. The replica that has the most is first and executes all
// statements. The others execute those that ClickHouse does not replicate and record all of them. They
// create tables as the first one has them: Keeper refuses a replica with other columns.
func applyReplicated(ctx context.Context, c *cluster.Conn, replicas []cluster.Member, o Options) ([]string, error) {
	leader, err := leaderOf(ctx, c, replicas, o)
	if err != nil {
		return nil, err
	}
	leading, err := c.On(leader, c.Local())
	if err != nil {
		return nil, err
	}
	lead := o
	lead.rewrite = func(text string) (string, error) { return replicate(text, c.Local()) }
	applied, err := applyMissing(ctx, leading, lead)
	if err != nil {
		return nil, fmt.Errorf("member %s of cluster %s: %w", leader.Address, c.Name(), err)
	}
	for _, m := range replicas {
		if m == leader {
			continue
		}
		conn, err := c.On(m, c.Local())
		if err != nil {
			return nil, err
		}
		follow := o
		follow.stepwise = true
		follow.rewrite = func(text string) (string, error) { return followed(ctx, leading, conn, text) }
		if _, err := applyMissing(ctx, conn, follow); err != nil {
			return nil, fmt.Errorf("member %s of cluster %s: %w", m.Address, c.Name(), err)
		}
	}
	return applied, nil
}

// applyToShards applies the missing migrations to the replicas of each shard, and then o.Cold.
func applyToShards(ctx context.Context, c *cluster.Conn, members []cluster.Member, o Options) (applied []string, err error) {
	shards := cluster.ByShard(members)
	for _, replicas := range shards {
		names, err := applyReplicated(ctx, c, replicas, o)
		if err != nil {
			return nil, err
		}
		if len(names) > len(applied) {
			applied = names
		}
	}
	// Every replica has the settings and the policy before one of them replicates the TTL.
	for _, what := range []coldChange{coldSettings, coldTTL} {
		for _, replicas := range shards {
			for i, m := range replicas {
				if what == coldTTL && i > 0 {
					break
				}
				conn, err := c.On(m, c.Local())
				if err == nil {
					err = o.Cold.change(ctx, conn, o, what)
				}
				if err != nil {
					return nil, fmt.Errorf("member %s of cluster %s: %w", m.Address, c.Name(), err)
				}
			}
		}
	}
	return applied, nil
}

// leaderOf returns the replica that has the most migrations and statements of them, the first one of
// several.
func leaderOf(ctx context.Context, c *cluster.Conn, replicas []cluster.Member, o Options) (leader cluster.Member, err error) {
	var most *State
	for _, m := range replicas {
		conn, err := c.On(m, c.Local())
		if err != nil {
			return leader, err
		}
		s, err := Read(ctx, conn, o)
		if err == nil {
			err = s.Check()
		}
		if err != nil {
			return leader, fmt.Errorf("member %s of cluster %s: %w", m.Address, c.Name(), err)
		}
		if most == nil || s.ahead(most) {
			leader, most = m, s
		}
	}
	return leader, nil
}

// ahead reports whether more migrations, or statements of them, are applied than in another state.
func (s *State) ahead(of *State) bool {
	if a, b := len(s.Pending()), len(of.Pending()); a != b {
		return a < b
	}
	return len(s.steps) > len(of.steps)
}

// replicate returns a statement with the replicated engine if it creates a table. Others are unchanged.
// It returns ErrCluster if the statement cannot be applied to replicated tables.
func replicate(text, database string) (string, error) {
	if _, err := split(text); err != nil {
		return "", err
	}
	text = uncommented(text)
	found := createTable.FindStringSubmatch(strings.TrimSpace(text))
	if found == nil {
		return text, nil
	}
	return family.Replicate(text, database, found[1])
}

// followed returns what a replica executes of a statement that the leading replica of its shard has
// executed: "" if ClickHouse replicates it. It creates a table as the leading one has it, and no table
// that was dropped there later. A table that has the same settings as there is not changed.
func followed(ctx context.Context, leading, conn driver.Conn, text string) (string, error) {
	of, err := split(text)
	if err != nil || of == oneReplica {
		return "", err
	}
	text = strings.TrimSpace(uncommented(text))
	if found := createTable.FindStringSubmatch(text); found != nil {
		made, err := readMade(ctx, leading, found[1])
		return strings.Replace(made.create, "CREATE TABLE ", "CREATE TABLE IF NOT EXISTS ", 1), err
	}
	if found := alterTable.FindStringSubmatch(text); found != nil {
		there, err := readMade(ctx, leading, found[1])
		if err != nil {
			return "", err
		}
		here, err := readMade(ctx, conn, found[1])
		if err != nil || here.engine == there.engine {
			return "", err
		}
	}
	return text, nil
}

// made is how a table was made, with all later changes; "" if it does not exist.
type made struct{ create, engine string }

func readMade(ctx context.Context, conn driver.Conn, table string) (m made, err error) {
	if err := conn.QueryRow(ctx, readCreate, driver.Named("table", table)).Scan(&m.create, &m.engine); err != nil {
		return m, fmt.Errorf("read how the table %s was made: %w", table, err)
	}
	return m, nil
}
