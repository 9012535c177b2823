package synth

// queue holds turns in the order in which they were last touched.
type queue struct {
	oldest, newest *turn
	len            int
}

func (q *queue) push(t *turn) {
	t.queue, t.prev, t.next = q, q.newest, nil
	if q.newest != nil {
		q.newest.next = t
	} else {
		q.oldest = t
	}
	q.newest = t
	q.len++
}

func (t *turn) leave() {
	q := t.queue
	if q == nil {
		return
	}
	if t.prev != nil {
		t.prev.next = t.next
	} else {
		q.oldest = t.next
	}
	if t.next != nil {
		t.next.prev = t.prev
	} else {
		q.newest = t.prev
	}
	t.queue, t.prev, t.next = nil, nil, nil
	q.len--
}
