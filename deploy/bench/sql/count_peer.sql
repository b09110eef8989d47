SELECT count() FROM peer
