// Where a stream is held up by what lies between: one question after the other, with the same cursor.
const AGAIN = 2000;

export async function asking(signal, { after, answered, failed }) {
  while (!signal.aborted) {
    try {
      const answer = await fetch(`/api/feed?wait=25&after=${encodeURIComponent(after())}`, { signal });
      if (answer.status === 401) return location.reload(); // shown the door
      if (!answer.ok) throw new Error(answer.status);
      answered(await answer.json());
    } catch {
      if (signal.aborted) return;
      failed();
      await new Promise((done) => setTimeout(done, AGAIN));
    }
  }
}
