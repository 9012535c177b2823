// Package browser opens the review pages in Chromium, as a reviewer does.
//
// Words:
//
//   - tab: one page in a browser of its own, with what went wrong in it
//   - view: how a tab is looked at: its size, light or dark, on screen or on paper
//   - fault: a dialog, an error of a script, something that the content policy
//     refused, or a request for anything but the pages
//   - guide: a document whose steps are followed word by word
//   - picture: a screenshot; of a guide it is part of the document, of any other
//     test it goes to the folder artifacts
//
// The guide is docs/from-alert-to-cause.md: the tests read what to open, click,
// press and read out of it, and pictures are taken where it shows them.
//
// The package starts real processes: the collector, and the Chromium of the
// machine. It asks nothing of the network beyond loopback.
package browser
