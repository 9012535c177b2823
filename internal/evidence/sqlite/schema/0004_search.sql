-- Effects, receipts and decisions are searched by too: the terms of those that were
-- stated before. term_hash is a function of this program, see terms.go.
INSERT OR IGNORE INTO terms (term, key)
SELECT term_hash('effect', effect_id), key FROM effects WHERE effect_id != '' AND key != 0
UNION SELECT term_hash('effect', idempotency_key), key FROM effects WHERE idempotency_key != '' AND key != 0
UNION SELECT term_hash('receipt', receipt_id), key FROM effects WHERE receipt_id != '' AND key != 0
UNION SELECT term_hash('decision', decision_id), key FROM decisions WHERE decision_id != '' AND key != 0;
