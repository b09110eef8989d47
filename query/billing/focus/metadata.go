package focus

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"
)

// metadata is the file that describes the datasets. In version 1.2 it has no dataset instances and
// no recency.
type metadata struct {
	DataGenerator   dataGenerator
	DatasetInstance []datasetInstance `json:",omitempty"`
	Recency         []recency         `json:",omitempty"`
	Schema          []schema
	Unpriced        *unpricedFile `json:"x_UnpricedUsage"`
	Configuration   configuration `json:"x_Configuration"`
	Invoices        []invoiceHash `json:"x_Invoices"`
}

type dataGenerator struct{ DataGenerator string }

type datasetInstance struct {
	DatasetInstanceId, DatasetInstanceName, FocusDatasetId string
	File                                                   string `json:"x_File"`
}

type recency struct {
	DatasetInstanceId          string
	DatasetInstanceComplete    *bool `json:",omitempty"` // only for datasets that are not time series
	DatasetInstanceLastUpdated string
	RecencyLastUpdated         string
	TimeSectors                []timeSector `json:",omitempty"`
}

type timeSector struct {
	TimeSectorStart, TimeSectorEnd string
	TimeSectorComplete             bool
	TimeSectorLastUpdated          string
}

type schema struct {
	SchemaId          string
	DatasetInstanceId string `json:",omitempty"`
	File              string `json:"x_File"`
	FocusVersion      string
	CreationDate      string
	ColumnDefinition  []columnDefinition
}

type columnDefinition struct {
	ColumnName          string
	DataType            kind
	StringMaxLength     *int      `json:",omitempty"`
	StringEncoding      string    `json:",omitempty"`
	NumericPrecision    *int      `json:",omitempty"`
	NumberScale         *int      `json:",omitempty"`
	ProviderTagPrefixes *[]string `json:",omitempty"`
}

// unpricedFile describes the file of unpriced usage.
type unpricedFile struct {
	File             string
	Rows             int
	ColumnDefinition []columnDefinition
}

// configuration holds the options of the export.
type configuration struct {
	FocusVersion Version
	Columns      []string // of Cost and Usage
	Tags         []string // tags by whose values charges are separated
	SubAccount   string   `json:",omitempty"`
}

// invoiceHash records the hashes of the closed bill that was exported.
type invoiceHash struct{ InvoiceId, RowsHash, PriceTableHash string }

// definitions returns the metadata of the columns of a table.
func (t *table[T]) definitions() []columnDefinition {
	list := make([]columnDefinition, len(t.columns))
	for i, c := range t.columns {
		d, size := columnDefinition{ColumnName: c.name, DataType: c.kind}, t.size[i]
		switch c.kind {
		case number:
			precision := size.whole + size.scale
			d.NumericPrecision, d.NumberScale = &precision, &size.scale
		case text:
			d.StringMaxLength, d.StringEncoding = &size.length, "UTF-8"
		}
		if c.name == "Tags" {
			d.ProviderTagPrefixes = &[]string{}
		}
		list[i] = d
	}
	return list
}

// describe adds a table to the metadata as a dataset of the specification.
func describe[T any](m *metadata, e *export, t *table[T], dataset, title string) {
	s := schema{
		File: t.file, FocusVersion: string(e.options.Version),
		CreationDate: moment(e.at), ColumnDefinition: t.definitions(),
	}
	s.SchemaId = id(s.FocusVersion, dataset, s.ColumnDefinition)
	if e.options.Version != V12 {
		instance := datasetInstance{id(e.options.Tenant, e.numbers(), dataset), title, dataset, t.file}
		s.DatasetInstanceId = instance.DatasetInstanceId
		m.DatasetInstance = append(m.DatasetInstance, instance)
		m.Recency = append(m.Recency, e.recency(&instance))
	}
	m.Schema = append(m.Schema, s)
}

// recency states that the dataset is complete, since closed bills do not change.
func (e *export) recency(of *datasetInstance) recency {
	r := recency{DatasetInstanceId: of.DatasetInstanceId, RecencyLastUpdated: moment(e.at)}
	var last time.Time
	for _, p := range periodsOf(e.invoices) {
		if p.updated.After(last) {
			last = p.updated
		}
		if of.FocusDatasetId == "CostAndUsage" {
			r.TimeSectors = append(r.TimeSectors, timeSector{moment(p.start), moment(p.end), true, moment(p.updated)})
		}
	}
	if last.IsZero() {
		last = e.at
	}
	r.DatasetInstanceLastUpdated = moment(last)
	if r.TimeSectors == nil {
		complete := true
		r.DatasetInstanceComplete = &complete
	}
	return r
}

// id returns an identifier (UUID version 8) that depends only on the parts.
func id(parts ...any) string {
	text, err := json.Marshal(parts)
	if err != nil {
		panic(err) // the parts can always be encoded
	}
	hash := sha256.Sum256(text)
	u := uuid.UUID(hash[:16])
	u[6], u[8] = u[6]&0x0f|0x80, u[8]&0x3f|0x80 // RFC 9562, version 8
	return u.String()
}

func (m *metadata) write(w io.Writer, file string) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(m); err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	return nil
}
