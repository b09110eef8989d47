package migrate

import (
	"errors"
	"fmt"

	driver "github.com/ClickHouse/clickhouse-go/v2"
)

// Error codes of ClickHouse that a run handles or explains.
const (
	codeNoColumn        = 10
	codeColumnMissing   = 16
	codeColumnExists    = 15
	codeUnknownIdent    = 47
	codeUnknownTable    = 60
	codeUnknownDatabase = 81
	codeReadOnly        = 164
	codeSameQuery       = 216
	codeMemory          = 241
	codeTableReadOnly   = 242
	codeNoSpace         = 243
	codeAccess          = 497
	codeTimeout         = 159
	codeTooManyQueries  = 202
)

// remedies are the actions against errors of ClickHouse, by error code.
var remedies = map[int32]string{
	codeReadOnly:       "let the user of --clickhouse change tables (its profile has readonly)",
	codeTableReadOnly:  "make the table writable",
	codeMemory:         "raise the memory limit of ClickHouse, or wait until other queries end",
	codeNoSpace:        "make room on ClickHouse's disk",
	codeAccess:         "grant the user of --clickhouse CREATE, ALTER, INSERT and SELECT on the database",
	codeTimeout:        "raise the time limit of the user of --clickhouse",
	codeTooManyQueries: "wait until other queries end",
}

func hasCode(err error, codes ...int32) bool {
	e, ok := errors.AsType[*driver.Exception](err)
	if !ok {
		return false
	}
	for _, c := range codes {
		if e.Code == c {
			return true
		}
	}
	return false
}

// stopped returns the error of a run that stopped at a statement: where, why, and what to do.
func stopped(p Progress, err error) error {
	do := "remove the cause"
	if e, ok := errors.AsType[*driver.Exception](err); ok && remedies[e.Code] != "" {
		do = remedies[e.Code]
	}
	return fmt.Errorf("migration %s stopped at statement %d of %d: %w\n"+
		"The statements before it are applied. To continue: %s, then run \"tapedeck migrate\" again",
		p.Migration, p.Step, p.Steps, err, do)
}
