package tabular

import "tapedeck/query/endpoint"

// Format is a format of rows.
type Format string

// The formats. JSON is one object; the other formats have one row per line or record.
const (
	JSON    Format = "json"
	NDJSON  Format = "ndjson"
	CSV     Format = "csv"
	Parquet Format = "parquet"
)

// File returns the file that a format other than JSON is sent as. name is the file name without the
// extension.
func (f Format) File(name string) endpoint.File {
	return endpoint.File{Name: name + "." + string(f), Media: media[f]}
}

var media = map[Format]string{
	NDJSON:  "application/x-ndjson",
	CSV:     "text/csv; charset=utf-8; header=present",
	Parquet: "application/vnd.apache.parquet",
}
