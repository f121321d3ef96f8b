// Package clockwatch finds out whether the clock obeys.
//
// A Watch compares the clock that was counted, cycles over the time that threads ran, with the one
// that was asked for. They differ for two reasons. Only the counter shows either, and one quantum
// does not distinguish them:
//
//   - A request does nothing. The driver failed and the kernel swallowed the error.
//   - Something limits the clock and reports nothing: firmware, power that many busy cores share.
//
// Both are accounted at the counted clock. But the right response to the first is the highest
// frequency, which under the second would give away all savings. So the Watch finds out which it
// is, where the clock is slower than asked for:
//
//  1. Asking. The request is made again, by way of a neighbouring state, because a write that
//     changes nothing is dropped on its way. Under a limit that does no harm. If the clock then
//     follows, requests had been ignored, and the time that was lost is owed.
//  2. Trying. If two repetitions do not help, a quantum runs at a state below the counted clock. If
//     the clock follows, something limits it: the limit is the highest frequency there is (the
//     reach), and the budget does not owe what was lost. Now and then a quantum at the highest
//     state checks whether the limit is still there; if it is gone, what was lost since the last
//     check is owed.
//  3. Deaf. If not, requests do nothing. All lost time is owed. The highest frequency is asked for,
//     and again after 2, 4, 8, 16, 16, ... quanta, until the clock follows.
//
// A clock that is faster than asked for costs no time. It is asked for again without haste, and
// reported when it lasts.
//
// # States
//
// A counted quantum moves the Watch along one arrow at most. Quanta that were not counted leave it
// where it is. "Follows" means that the clock is where it should be, within 10 %.
//
//	           +--------+     too fast      +--------+
//	+--------> | agrees | ----------------> | faster | insist 2, 4, 8, 16, 16... quanta
//	|          |        | <---------------- |        | apart; reported after 8
//	|          +--------+      follows      +--------+
//	|            |    ^ ^------------------------------------------+
//	|   too slow |    | follows: requests had been ignored         |
//	|            v    |                                            |
//	|          +--------+                                          |
//	|          | asking | insist, twice                            |
//	|          +--------+                                          |
//	|   still    |    |   still too slow, and there is no          |
//	|   too slow |    |   state below to try                       |
//	|            |    +--------------------------+                 |
//	|            v                               v                 |
//	|          +--------+  does not follow  +--------+   follows   |
//	+--------- | trying | ----------------> |  deaf  | ------------+
//	 follows:  +--------+                   +--------+
//	 a limit   at a state below             insist 2, 4, 8, 16, 16... quanta apart; reported
//
// From any state a clock that is too fast leads to faster, and one that is too slow from there or
// from agrees to asking. At the highest state asking begins 3 % below; if the distance is no more
// than 10 % after two quanta, the processor itself is taken to be the cause. A trial that a hole in
// the data spoils goes back to asking and is repeated.
//
// Where another tenant holds the clock above the request, the clock to be expected is the one that
// the machine reports. A trial shows nothing then and is repeated: with a request for a state below
// no harm is done meanwhile.
//
// A limit or a failed write that the machine itself reports takes the same way, but is not reported
// a second time.
//
// The package is pure: the same quanta give the same answers.
package clockwatch
