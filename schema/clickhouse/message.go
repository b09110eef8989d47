package clickhouse

import (
	"regexp"
	"strings"
)

var (
	// beforeMessage is what ClickHouse and its client write before the message of an error: codes
	// and names of types.
	beforeMessage = regexp.MustCompile(`(?i)std::exception\. code: \d+, type: .*?, e\.what\(\) = |` +
		`code: \d+[.,] (message: )?|(DB|Poco|std)(::\w+)*::\w*(exception|error)\w*:? `)
	// afterMessage is what they write after it: what ClickHouse did, its stack trace and its
	// version.
	afterMessage = regexp.MustCompile(`(?s)[,.]? ?Stack trace.*| \(version [^)]*\).*|: \(?[Ww]hile .*`)
	codeName     = regexp.MustCompile(` \([A-Z][A-Z0-9_]+\)[.\s]*$`)
)

// Message returns the sentence in an error text of ClickHouse, without codes, type names and stack
// traces.
func Message(text string) string {
	text = codeName.ReplaceAllString(afterMessage.ReplaceAllString(text, ""), "")
	return strings.TrimRight(beforeMessage.ReplaceAllString(text, ""), ". \n")
}
