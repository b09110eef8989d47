package cluster

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

var fourMembers = []Member{{1, 1, "a:1"}, {1, 2, "b:1"}, {2, 1, "c:1"}, {2, 2, "d:1"}}

// Of each shard the first replica that answers is taken, and a shard without one is an error that names
// its replicas.
func TestFirstOfEach(t *testing.T) {
	for _, tc := range []struct {
		away, want []string
		says       []string
	}{
		{nil, []string{"a:1", "c:1"}, nil},
		{[]string{"a:1", "d:1"}, []string{"b:1", "c:1"}, nil},
		{[]string{"c:1", "d:1"}, nil, []string{"shard 2", "c:1: away", "d:1: away"}},
	} {
		var got []string
		list, err := firstOfEach(fourMembers, func(m Member) error {
			if slices.Contains(tc.away, m.Address) {
				return errors.New("away")
			}
			return nil
		})
		for _, m := range list {
			got = append(got, m.Address)
		}
		if !slices.Equal(got, tc.want) || (err != nil) != (tc.says != nil) {
			t.Errorf("%v away: %v, error %v, want %v", tc.away, got, err, tc.want)
		}
		for _, says := range tc.says {
			if !strings.Contains(err.Error(), says) {
				t.Errorf("%v does not contain %q", err, says)
			}
		}
	}
}

func TestByShard(t *testing.T) {
	got := ByShard(fourMembers)
	if len(got) != 2 || !slices.Equal(got[0], fourMembers[:2]) || !slices.Equal(got[1], fourMembers[2:]) || len(ByShard(nil)) != 0 {
		t.Errorf("%v", got)
	}
}

// What ClickHouse replicates is executed once for each shard, what it does not on every replica.
func TestStatementsOfReplicas(t *testing.T) {
	for statement, each := range map[string]bool{
		"ALTER TABLE frames DELETE WHERE 1": false, "DELETE FROM frames WHERE 1": false, "OPTIMIZE TABLE frames FINAL": false,
		"TRUNCATE TABLE frames": false, "SYSTEM STOP MERGES frames": true, "system start merges frames": true,
	} {
		if !ofMembers(statement) || ofEachReplica(statement) != each {
			t.Errorf("%s: of members %v, of each replica %v, want %v", statement, ofMembers(statement), ofEachReplica(statement), each)
		}
	}
	c := &Conn{name: "c", database: "d"}
	const query = "SELECT count() FROM system.parts WHERE database = currentDatabase()"
	if got := c.rewrite(t.Context(), query); got != "SELECT count() FROM cluster('c', system.parts) WHERE database = 'd_local'" {
		t.Error(got)
	}
	if got := c.rewrite(WithAllReplicas(context.Background()), query); got != "SELECT count() FROM clusterAllReplicas('c', system.parts) WHERE database = 'd_local'" {
		t.Error(got)
	}
}
