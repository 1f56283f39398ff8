import { Component, type ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { Blank } from '../ui/notice.tsx';
import { shell } from '../words/shell.ts';

type State = { readonly error: Error | null };

/** Where a bug in the page ends: it says so, and that nothing was answered. React offers no other way than a class. */
export class Breakage extends Component<{ readonly children: ReactNode }, State> {
  override state: State = { error: null };

  static getDerivedStateFromError(error: Error): State {
    return { error };
  }

  override render(): ReactNode {
    if (this.state.error === null) return this.props.children;
    return (
      <Blank title={shell.broke}>
        <p>{shell.brokeHelp}</p>
        <Button onClick={() => location.reload()}>{shell.reload}</Button>
        <pre className="font-mono text-sm whitespace-pre-wrap">{this.state.error.message}</pre>
      </Blank>
    );
  }
}
