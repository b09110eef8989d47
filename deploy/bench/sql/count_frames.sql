SELECT count() FROM frames
