// Package rollup stores usage records in the form in which reports count them, so that a report
// adds up rows instead of merging the records of streams.
//
// A settlement names batches of rows in the tables settled_usage, settled_charges, settled_calls,
// settled_tools, settled_sessions, settled_costs and settled_model_costs. It also names, for each
// table on which usage depends (usage, streams, redecodes, tombstones, restores, expirations,
// duplicate_usage), the last insert that the batches include. A session is unsettled if rows for it
// were inserted later: readers ignore its settled rows and read it from the tables, with the merging
// that this requires. So an answer is the same with and without a settlement, whatever changed. Every change of a session must be an insert into
// one of these tables; the rows of a deleted session are removed between two inserts.
//
// A settlement is one row of the table settlements, which is inserted after its batches and does
// not change. A Settler that is killed leaves rows that no settlement names: no statement reads
// them, and a later Settler removes them.
package rollup
