package migrate

import (
	"embed"
	"strings"

	"tapedeck/schema/sqltemplate"
)

//go:embed sql/*.sql
var files embed.FS

var (
	statements     = sqltemplate.Parse(files)
	createApplied  = statements.Must("create_applied", nil)
	createSteps    = statements.Must("create_steps", nil)
	createLock     = statements.Must("create_lock", nil)
	insertApplied  = statements.Must("insert_applied", nil)
	insertStep     = statements.Must("insert_step", nil)
	readApplied    = statements.Must("applied", nil)
	readSteps      = statements.Must("steps", nil)
	readLock       = statements.Must("lock", nil)
	readHolder     = statements.Must("holder", nil)
	readPlacing    = statements.Must("placing", Placing)
	readParts      = statements.Must("parts", nil)
	countTables    = statements.Must("count_tables", nil)
	readMember     = statements.Must("member", nil)
	readViews      = statements.Must("views", nil)
	readOutdated   = statements.Must("outdated", nil)
	readColdTables = statements.Must("cold_tables", nil)
	readColdPolicy = statements.Must("cold_policy", nil)
	// The engine family of tables, see replicas.go.
	readMacros       = statements.Must("macros", nil)
	readExternal     = statements.Must("external_replication", nil)
	readTableEngines = statements.Must("engines", nil)
	readCreate       = statements.Must("create_of", nil)
	// countDistributed counts the tables of a cluster in the current database.
	countDistributed = statements.Must("count_distributed", nil)
	// The same inserts for many rows.
	insertAllApplied, _, _ = strings.Cut(insertApplied, " VALUES")
	insertAllSteps, _, _   = strings.Cut(insertStep, " VALUES")
)
