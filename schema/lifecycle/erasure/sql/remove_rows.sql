{{- /* Writes the parts of a table anew without the rows that an erasure covers. */ -}}
ALTER TABLE {{.Table}} DELETE WHERE {{template "covered_by_erasure" .}}
