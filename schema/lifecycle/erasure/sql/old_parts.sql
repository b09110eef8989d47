{{- /* The parts of tables that were replaced up to a time and are still on the disk. */ -}}
SELECT count() FROM system.parts
WHERE database = currentDatabase() AND table IN {tables:Array(String)} AND NOT active AND remove_time <= {at:DateTime}
