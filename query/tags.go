package query

import "strconv"

// TagJoins are the parameters of the template "tag_joins", which joins the values of tags to usage
// records.
type TagJoins struct {
	Tags []string // the parameters tag_0, tag_1, …
	Of   string   // SQL: a condition on the sessions of the table streams, which begins with AND
	// Single reports that all streams of a session that have a tag have the same value of it.
	Single bool
}

// TagValue returns the SQL expression of the value of the nth tag of TagJoins; "" for none. The tag
// of the stream that reported a record takes precedence over that of another stream of its session.
func TagValue(n int) string { return "tag_" + strconv.Itoa(n) + ".value" }

// TagValues returns the SQL expressions of the values of n tags.
func TagValues(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = TagValue(i)
	}
	return list
}

// TagArgs returns the parameters of the tags of TagJoins.
func TagArgs(tags []string) Args {
	a := Args{}
	for i, tag := range tags {
		a["tag_"+strconv.Itoa(i)] = tag
	}
	return a
}
