package migrate

import (
	"fmt"
	"regexp"
	"strings"
)

// where says where a statement of a migration is executed if the tables are replicated.
type where int

const (
	// everyReplica is for statements that ClickHouse does not replicate: creating and dropping tables
	// and views, and changes of settings.
	everyReplica where = iota
	// oneReplica is for statements that ClickHouse replicates.
	oneReplica
)

var (
	createTable  = regexp.MustCompile(`(?i)^CREATE TABLE IF NOT EXISTS\s+(\w+)`)
	ofOneServer  = regexp.MustCompile(`(?i)^(?:CREATE (?:TABLE|VIEW) IF NOT EXISTS|CREATE OR REPLACE VIEW|DROP (?:TABLE|VIEW) IF EXISTS)\s`)
	ofAllServers = regexp.MustCompile(`(?i)^(?:INSERT INTO|DELETE FROM)\s`)
	alterTable   = regexp.MustCompile(`(?is)^ALTER TABLE\s+(\w+)\s+(.*)`)
	// command matches the begin of a command of ALTER, which settings of MODIFY SETTING do not have.
	command      = regexp.MustCompile(`(?i)^(?:ADD|DROP|MODIFY|RENAME|CLEAR|COMMENT|MATERIALIZE|UPDATE|DELETE|RESET|ALTER|APPLY|ATTACH|DETACH|MOVE|REPLACE|FREEZE|FETCH|REMOVE)\s`)
	setsSettings = regexp.MustCompile(`(?i)^(?:MODIFY|RESET) SETTING\s`)
)

// split returns where a statement is executed if the tables are replicated. It returns ErrCluster if
// ClickHouse replicates a part of the statement only, or if the statement is of an unknown kind.
func split(text string) (where, error) {
	text = strings.TrimSpace(uncommented(text))
	switch {
	case ofOneServer.MatchString(text):
		return everyReplica, nil
	case ofAllServers.MatchString(text):
		return oneReplica, nil
	}
	alter := alterTable.FindStringSubmatch(text)
	if alter == nil {
		return 0, unsplit(text, "it is unknown whether ClickHouse replicates it")
	}
	settings, others := 0, 0
	for _, part := range commas(alter[2]) {
		switch {
		case setsSettings.MatchString(part):
			settings++
		case command.MatchString(part) || settings == 0:
			others++
		}
	}
	switch {
	case others == 0:
		return everyReplica, nil
	case settings > 0:
		return 0, unsplit(text, "ClickHouse does not replicate its settings, and replicates its other changes")
	}
	return oneReplica, nil
}

func unsplit(text, why string) error {
	line, _, _ := strings.Cut(text, "\n")
	return fmt.Errorf("%w: the statement %q cannot be applied to replicated tables, since %s: install a version of tapedeck that has it in parts",
		ErrCluster, line, why)
}

// commas returns the parts of a text between the commas that are neither in parentheses nor in quotes.
func commas(text string) (parts []string) {
	depth, from, quoted := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '\'':
			quoted = !quoted
		case quoted:
		case c == '(' || c == '[':
			depth++
		case c == ')' || c == ']':
			depth--
		case c == ',' && depth == 0:
			parts = append(parts, strings.TrimSpace(text[from:i]))
			from = i + 1
		}
	}
	return append(parts, strings.TrimSpace(text[from:]))
}
