package query

import "strconv"

// TagJoins are the parameters of the template "tag_joins", which joins the values of tags to usage
// records.
type TagJoins struct {
	Tags []string // the parameters tag_0, tag_1, …
	Of   string   // SQL: a condition on the sessions of the table streams, which begins with AND
}

// TagValues returns the SQL expressions of the values of the first n tags of TagJoins; "" for none.
// The tag of the stream that reported a record takes precedence over that of another stream of its
// session.
func TagValues(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = "tag_" + strconv.Itoa(i) + ".value"
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
