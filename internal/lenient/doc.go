// Package lenient mends what agents write wrong into OTLP/JSON, so that one bad
// field does not cost a whole request.
//
// Words:
//
//   - body: the bytes of one export request in OTLP/JSON
//   - mend: a change of the body by which pdata's decoder reads a value that it
//     would have refused the whole body for; its kind is one of a closed list
//   - fault: what the decoder would refuse and no mend is for; it is told with the
//     JSON path of the field and never with a byte of the body
//   - schema: the messages of OTLP as pdata reads them: field, kind, message
//   - unknown field: a key that the schema does not have; it is skipped, its value
//     is not mended and its name not told
//   - nesting: how many objects and arrays of the body are open at one time
//
// Repair walks over a body once, in the way pdata's decoder does, and builds no
// tree: a body without anything to mend is returned as it came. What the decoder
// takes is taken, with all its tolerance (unknown fields, both spellings of a key,
// null for a message or a text, bytes behind the end); what it would refuse is
// mended or is a fault. So a mended body always decodes.
//
// It does not decode, and does not look at text: encoding, length and content of a
// string are nobody's business here. A key that comes twice is read twice.
package lenient
