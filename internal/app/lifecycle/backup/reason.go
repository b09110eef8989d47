package backup

import (
	"context"
	"errors"
	"fmt"
	"net"
	"regexp"
	"slices"
	"strings"

	"tapedeck/internal/rootcause"
	"tapedeck/schema/clickhouse"
)

// cause explains errors of ClickHouse: what they mean for a backup, and what to do.
type cause struct {
	codes []string // codes of ClickHouse's errors
	texts []string // texts that occur in the errors
	says  string
}

// causes are the explained errors of ClickHouse. The first match applies.
var causes = []cause{
	{texts: []string{"BackupsIOThreadPool"}, says: "this ClickHouse library cannot write to S3: install that of " +
		"this version of tapedeck, or back up to a directory and upload that"},
	{
		texts: []string{"No space left"},
		codes: []string{"243"},
		says:  "no space is left there: free space, then start again",
	},
	{codes: []string{"598"}, says: errTaken.Error()},
	{
		codes: []string{"602", "603"},
		says:  "the backup that it continues is not there, or was made anew: restore another backup, or make a full one",
	},
	{codes: []string{"605", "606"}, says: "it is no backup of tapedeck, or a part of it is missing: name another one"},
	{texts: []string{"allowed_path", "allowed_disk"}, codes: []string{"318", "481"},
		says: "ClickHouse may not use that place: set <backups><allowed_path> (or <allowed_disk>) in its " +
			"configuration"},
	{codes: []string{"479"}, says: "ClickHouse has no such disk: name one of its <storage_configuration>"},
	{texts: []string{"InvalidAccessKeyId", "SignatureDoesNotMatch", "AccessDenied", "HTTP response code: 403"},
		says: "the storage refuses the key: check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, " +
			"and the rights of the key on the bucket"},
	{texts: []string{"Connection refused", "Not found address of host", "Host not found", "Timeout: connect"},
		says: "the storage does not answer: check its address, and that it runs"},
	{texts: []string{"NoSuchBucket"}, says: "the storage has no such bucket: make it, or name another one"},
	{
		codes: []string{"497"},
		says:  "ClickHouse's user needs the rights BACKUP, CREATE DATABASE, CREATE TABLE, DROP, SELECT and INSERT",
	},
	{codes: []string{"241"}, says: "ClickHouse has too little memory: start again when it does less, or allow it more"},
	{
		texts: []string{"Permission denied"},
		says:  "ClickHouse may not use the files there: grant its user access to the directory of backups",
	},
	{
		texts: []string{"Read-only file system"},
		says:  "ClickHouse cannot write there, the file system is read-only: name another place",
	},
	{
		texts: []string{"Bucket name length"},
		says:  "the name of a bucket has 3 to 63 characters: name the bucket after the host",
	},
	{texts: []string{"File exists"}, says: "a file has that name: choose another one"},
	{texts: []string{"Not a directory"}, says: "a part of the name is a file: choose another name"},
}

func (c *cause) matches(text string) bool {
	return slices.Contains(c.codes, codeOf(text)) ||
		slices.ContainsFunc(c.texts, func(t string) bool { return strings.Contains(text, t) })
}

// codeOf returns the code in an error of ClickHouse; "" if there is none.
func codeOf(text string) string {
	if found := codes.FindStringSubmatch(text); found != nil {
		return found[1]
	}
	return ""
}

// damages are the codes of errors that a changed, truncated or missing file of a backup causes.
var damages = []string{"27", "32", "33", "40", "74", "107", "117", "228", "246", "271", "432", "585", "594", "600",
	"601"}

var (
	codes = regexp.MustCompile(`(?i)code: (\d+)`)
	// missingName matches the name of a missing backup.
	missingName = regexp.MustCompile(`Backup File\('([^']*)'\)`)
	// tableOf matches a table in the path of a file of a backup.
	tableOf = regexp.MustCompile(`(?:data|metadata)/` + inBackup + `/(\w+)`)
)

// errMissing reports that a backup, or a backup that it continues, does not exist.
var errMissing = errors.New("no complete backup is there")

// errTaken is the error for a name of which a backup exists.
var errTaken = errors.New("a backup is there already, and is never overwritten: choose another name")

// missing returns the error for a backup that does not exist; name may be "".
func missing(name string) error {
	if name != "" {
		name = " by the name " + name
	}
	return fmt.Errorf(
		"%w%s: check the name and the directory of backups; a backup that was interrupted cannot be restored",
		errMissing, name,
	)
}

// errInterrupted is the error for an operation whose context ended.
var errInterrupted = errors.New("it was interrupted: start it again")

// reason describes in one sentence what an error of ClickHouse means for a backup, and what to do.
func reason(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return errInterrupted
	}
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return fmt.Errorf("ClickHouse does not answer (%w): check that it runs, then start again", rootcause.Of(op.Err))
	}
	text := err.Error()
	code := codeOf(text)
	for _, c := range causes {
		if c.matches(text) {
			return errors.New(c.says)
		}
	}
	if code == "599" {
		name := ""
		if found := missingName.FindStringSubmatch(text); found != nil {
			name = found[1]
		}
		return missing(name)
	}
	if slices.Contains(damages, code) || strings.Contains(text, "SAXParse") {
		return damaged(text)
	}
	if code == errorOfS3 && !strings.Contains(text, "No response body") {
		// ClickHouse's text contains the answer of the address, which may be a service that the user must
		// not read.
		return errors.New(
			"the storage reports an error that is in ClickHouse's log: " +
				"check that the address is that of an S3-compatible storage, then start again",
		)
	}
	return fmt.Errorf("ClickHouse reports %q: see its log, then start again", clickhouse.Message(text))
}

// damaged returns the error for a file of a backup that differs from what was written.
func damaged(text string) error {
	what := "a file of it"
	if found := tableOf.FindStringSubmatch(text); found != nil {
		what = "a file of the table " + found[1]
	}
	return fmt.Errorf("%w: %s is missing, cut off or changed: restore another backup", ErrDamaged, what)
}

// errorOfS3 is the code of ClickHouse's error S3_ERROR.
const errorOfS3 = "499"

// definitions are the codes and texts of errors that occur on reading a backup with a changed
// definition or a missing file.
var definitions = cause{
	codes: []string{"10", "16", "47", "50", "62", "376"},
	texts: []string{"in copy: No such file", "JSON Exception", "Empty query", "Syntax error"},
}

// readReason does the same as reason for an operation that reads a backup.
func readReason(err error) error {
	if definitions.matches(err.Error()) {
		return damaged(err.Error())
	}
	return reason(err)
}
