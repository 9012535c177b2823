// Package web serves the pages and the JSON API of a reviewer over an evidence
// store, and the same to agents.
//
// Words:
//
//   - page: HTML for people; it works without its script
//   - API: the same as JSON, below /api/v1, as openapi.yaml says
//   - tool: a question of the API that an agent asks at /mcp, in portions that a model
//     can read
//   - inert: text of others in which nothing is markup, moves a cursor or turns the
//     direction of writing
//
// Everything is read: there is no address that changes anything. It does not listen,
// does not authenticate and does not open the store by itself: the program around it
// does.
package web
