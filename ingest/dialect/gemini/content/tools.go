package content

import (
	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
)

// Offered returns the tools that the member "tools" of a request offers: the functions that it
// declares by their names, and Google's own tools by the names of their members.
func Offered(request []byte) *model.Offered {
	var offered model.Offered
	dialect.RawElements(dialect.RawMember(request, "tools"), func(tool []byte) bool {
		members, ok := dialect.MembersOf(tool)
		for ok {
			var name, value []byte
			switch name, value, ok = members.Next(); {
			case !ok:
			case string(name) == "functionDeclarations", string(name) == "function_declarations":
				offered.AddAll(value, "name")
			default:
				offered.Add(name, nil)
			}
		}
		return true
	})
	return &offered
}
