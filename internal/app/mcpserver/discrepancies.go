package mcpserver

import "tapedeck/query/session/sessiondetail"

// discrepancies returns what does not add up in a recording, shortened.
func discrepancies(list []sessiondetail.Discrepancy) []sessiondetail.Discrepancy {
	const most = 8
	out := make([]sessiondetail.Discrepancy, 0, most)
	for _, d := range list[:min(len(list), most)] {
		d.Detail = short(d.Detail, excerptSize)
		out = append(out, d)
	}
	return out
}
