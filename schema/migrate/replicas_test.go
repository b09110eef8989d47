package migrate

import (
	"errors"
	"strings"
	"testing"

	"tapedeck/schema/cluster"
	"tapedeck/schema/family"
	"tapedeck/schema/migrations"
)

// Each statement of the migrations and of the baseline is executed on every replica or on one, and a
// statement of which ClickHouse replicates a part only is refused.
func TestSplit(t *testing.T) {
	all, err := migrations.All()
	if err != nil {
		t.Fatal(err)
	}
	list := migrations.Baseline(all)
	for _, m := range all {
		list = append(list, m.Statements...)
	}
	var of [2]int
	for _, text := range list {
		w, err := split(text)
		if err != nil {
			t.Error(err)
		}
		of[w]++
	}
	if of[everyReplica] < 60 || of[oneReplica] < 15 {
		t.Errorf("%d statements are of every replica and %d of one", of[everyReplica], of[oneReplica])
	}
	for text, want := range map[string]where{
		"-- why\nALTER TABLE t MODIFY SETTING a = 1, b = 'x, y', c = 2":                                  everyReplica,
		"ALTER TABLE t RESET SETTING a":                                                                  everyReplica,
		"ALTER TABLE t ADD COLUMN IF NOT EXISTS a Enum8('x' = 0, 'y' = 1),\n    DROP COLUMN IF EXISTS b": oneReplica,
		"ALTER TABLE t MODIFY TTL a + toIntervalDay(1) RECOMPRESS CODEC(ZSTD(9)), a TO VOLUME 'cold'":    oneReplica,
		"ALTER TABLE t MATERIALIZE INDEX i":                                                              oneReplica,
		"INSERT INTO t SELECT 1":                                                                         oneReplica,
		"CREATE VIEW IF NOT EXISTS v AS SELECT":                                                          everyReplica,
		"DROP TABLE IF EXISTS t":                                                                         everyReplica,
	} {
		if got, err := split(text); err != nil || got != want {
			t.Errorf("%s: %v, error %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{
		"ALTER TABLE t MODIFY SETTING a = 1, ADD COLUMN b UInt8", "ALTER TABLE t ADD COLUMN b UInt8, MODIFY SETTING a = 1",
		"RENAME TABLE a TO b", "EXCHANGE TABLES a AND b", "OPTIMIZE TABLE a",
	} {
		if w, err := split(text); !errors.Is(err, ErrCluster) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, error %v", text, w, err)
		}
	}
}

// Of what another replica executed a replica executes what ClickHouse does not replicate.
func TestFollowed(t *testing.T) {
	for text, want := range map[string]string{
		"ALTER TABLE t ADD COLUMN a UInt8":     "",
		"INSERT INTO t SELECT 1":               "",
		"CREATE OR REPLACE VIEW v AS SELECT 1": "CREATE OR REPLACE VIEW v AS SELECT 1",
		"-- why\nDROP TABLE IF EXISTS t":       "DROP TABLE IF EXISTS t",
	} {
		if got, err := followed(t.Context(), nil, nil, text); err != nil || got != want {
			t.Errorf("%s: %q, error %v, want %q", text, got, err, want)
		}
	}
}

func TestMacros(t *testing.T) {
	members := []cluster.Member{{Shard: 1, Replica: 1, Address: "a"}, {Shard: 1, Replica: 2, Address: "b"}, {Shard: 2, Replica: 1, Address: "c"}}
	good := []macros{{"1", "a"}, {"1", "b"}, {"2", "a"}}
	if err := checkMacros(members, good); err != nil {
		t.Error(err)
	}
	for says, of := range map[string][]macros{
		"a has no macro shard":         {{"", "a"}, good[1], good[2]},
		"c has no macro replica":       {good[0], good[1], {"2", ""}},
		`the macros shard "1" and "3"`: {good[0], {"3", "b"}, good[2]},
		`the same macro shard "1"`:     {good[0], good[1], {"1", "c"}},
		`the same macro replica "a"`:   {good[0], {"1", "a"}, good[2]},
	} {
		if err := checkMacros(members, of); !errors.Is(err, ErrCluster) || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: %v, want an error with %q", of, err, says)
		}
	}
}

func TestWrongEngine(t *testing.T) {
	plain, replicated := map[string]string{"frames": "ReplacingMergeTree"}, map[string]string{"frames": "ReplicatedReplacingMergeTree"}
	for _, tc := range []struct {
		engine family.Engine
		has    map[string]string
		says   string
	}{
		{family.Engine{}, plain, ""},
		{family.Engine{Family: family.Replicated}, replicated, ""},
		{family.Engine{Family: family.Shared}, plain, ""},
		{family.Engine{}, replicated, "--clickhouse-engine is plain, and the table frames has the engine ReplicatedReplacingMergeTree: set --clickhouse-engine replicated"},
		{family.Engine{Family: family.Replicated}, plain, "set --clickhouse-engine plain"},
	} {
		err := wrongEngine(tc.engine, tc.has)
		if tc.says == "" && err != nil || tc.says != "" && (!errors.Is(err, ErrEngine) || !strings.Contains(err.Error(), tc.says)) {
			t.Errorf("%+v, %v: %v, want %q", tc.engine, tc.has, err, tc.says)
		}
	}
}
